import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'

/** `GET /utils/version`. */
export const readVersion = (release: string) =>
  endpoint({
    operation: 'utils.version',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/version',
    summary: 'Read the version of the appliance',
    access: { kind: 'session' },
    reply: { callinfo: z.object({ version: z.string().describe('Release of the program that answers.') }) },
    run: () => Promise.resolve({ callinfo: { version: release } }),
  })
