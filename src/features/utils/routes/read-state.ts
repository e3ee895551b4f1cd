import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { moment } from '../../../http/contract/shared-fields.ts'
import type { ApplianceState, AskState } from '../appliance-state.ts'

const checkSchema = z.object({
  name: z.string().describe('What was looked at, such as `token` or `database`.'),
  state: z
    .enum(['ok', 'warning', 'failed'])
    .describe('`warning`: calls are served, and an operator has something to do.'),
  detail: z.string().describe('What was seen, for people.'),
})

const warningSchema = z.object({
  name: z.string().describe('What it is about, such as `disk.audit`: the same as long as the warning lasts.'),
  state: z.enum(['warning', 'problem']).describe('How urgent it is.'),
  detail: z.string().describe('What was seen, for people.'),
  remedy: z.string().describe('What to do about it, for people.'),
})

const stateSchema = z.object({
  version: z.string().describe('Release of the program that answers.'),
  state: z
    .enum(['ready', 'not_ready', 'stopping', 'unknown'])
    .describe('Whether calls are served; `unknown` where the process that looks did not answer in time.'),
  at: moment('When it was looked at; absent where it is unknown.').optional(),
  checks: z.array(checkSchema).describe('What the monitor tells at /health/ready.'),
  warnings: z.array(warningSchema).describe('What the daemon warns of in its journal.'),
})

/** `GET /utils/state`: the state that the monitor reports on the machine, for administrators elsewhere. */
export const readState = (release: string, ask: AskState) =>
  endpoint({
    operation: 'utils.state',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/state',
    summary: 'Read the state of the appliance',
    details:
      'Of the machine that answers. `strongroom doctor`, on the machine, looks at more, and says what to do about it.',
    access: { kind: 'session', capability: 'admin' },
    reply: { callinfo: stateSchema },
    async run() {
      return { callinfo: { version: release, ...stateRecord(await ask()) } }
    },
  })

function stateRecord(found: ApplianceState | undefined): Record<string, unknown> {
  if (found === undefined) return { state: 'unknown', checks: [], warnings: [] }
  const { status, at, checks, warnings } = found
  return { state: status, at: new Date(at).toISOString(), checks, warnings }
}
