import { z } from 'zod'

const userName = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'the name of a user of this machine')

/** The users of the processes. The defaults are those of the Debian package and of `scripts/setup`. */
export const processes = z.strictObject({
  workers: userName
    .default('strongroom')
    .describe('User of the workers; owns the database file, audit.directory and tls.key.'),
  inside: userName
    .default('strongroom-token')
    .describe('User of keeper and token hosts; owns hsm.pinFile, the files of a software token and hsm.keeper.state.'),
})

export type ProcessUsers = z.infer<typeof processes>
