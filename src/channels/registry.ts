import { bing } from './bing/bing'
import type { Channel } from './channel'
import { indexnow } from './indexnow/indexnow'

/** Every channel, in the order a run uses them. */
export const CHANNELS: readonly Channel[] = [indexnow, bing]
