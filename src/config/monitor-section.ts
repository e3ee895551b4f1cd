import { z } from 'zod'
import { port } from './value-shapes.ts'

export const monitor = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether health and metrics are served.'),
  host: z
    .string()
    .default('127.0.0.1')
    .describe('Address to listen on: plain HTTP without a login, so let no stranger reach another one than 127.0.0.1.'),
  port: port
    .default(8445)
    .describe(
      'Port of the monitor. While another program has it, the daemon runs without a monitor, says so in the journal, and tries again every ten seconds.',
    ),
})
