import { readFileSync } from 'node:fs'
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
    reply: { callinfo: z.object({ version: z.string().describe('of this program') }) },
    params: z.object({}),
    body: z.object({}),
    run: () => Promise.resolve({ callinfo: { version: release } }),
  })

const description = z.object({ version: z.string(), build: z.int().min(0).max(9999) })

/** The version of this program and the number of its build, in the published form `X.Y.Z-buildNNNN`. */
export function readRelease(): string {
  const file = new URL('../../../../package.json', import.meta.url)
  const { version, build } = description.parse(JSON.parse(readFileSync(file, 'utf8')))
  return `${version}-build${String(build).padStart(4, '0')}`
}
