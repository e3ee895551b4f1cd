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
    success: 200,
    reply: { callinfo: z.object({ version: z.string().describe('Release of the program that answers.') }) },
    params: z.object({}),
    body: z.object({}),
    run: () => Promise.resolve({ callinfo: { version: release } }),
  })
