import type { Command } from 'commander'
import { createPublicKey } from 'node:crypto'
import { loadConfig } from '../../config/loader.ts'
import { answering } from '../invocation.ts'
import { reachToken } from '../token-access.ts'

const help = `
Other parties wrap keys to it: backup keys that another appliance shares with this one, and keys to import.

Example:
  strongroom token transport-key >this-appliance.pem`

/** `token transport-key`: the public half, as PEM. */
export function addTransportKey(token: Command): void {
  token
    .command('transport-key')
    .description("Prints the public half of the token's transport key.")
    .addHelpText('after', help)
    .action(
      answering(async (invocation) => {
        const access = await reachToken(invocation, loadConfig(invocation.config))
        try {
          const key = createPublicKey({ key: await access.hsm.transportPublicKey(), format: 'der', type: 'spki' })
          const pem = key.export({ format: 'pem', type: 'spki' }).toString()
          return { json: { publicKey: pem }, lines: pem.trimEnd().split('\n') }
        } finally {
          await access.close()
        }
      }),
    )
}
