import { compose, configure } from '../../src/compose'
import { createLogger } from '../../src/logger'
import type { Product } from './isolate'

/** The product as it is. */
export const PRODUCT: Product = { compose, configure, createLogger } as Product
