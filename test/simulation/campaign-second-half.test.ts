import { describe } from 'vitest'
import { HALF_OF_THE_WORLDS, noPromiseIsBroken } from './half-a-campaign'

describe('a world in which everything goes wrong', () => {
  noPromiseIsBroken(1 + HALF_OF_THE_WORLDS)
})
