import { z } from 'zod'
import { VERSION } from '../../generated/product'
import { type Route, route } from '../route'

/** Alive, and which version: nothing a stranger could use. */
export function health(): readonly Route[] {
  return [
    route({
      methods: ['GET'],
      path: '/health',
      open: true,
      summary: 'Whether the service is up, and its version',
      answers: {
        200: {
          says: 'It is',
          schema: z.object({ status: z.literal('ok'), version: z.string() }),
          example: { status: 'ok', version: VERSION },
        },
      },
      handle: ({ c }) => c.json({ status: 'ok', version: VERSION }),
    }),
  ]
}
