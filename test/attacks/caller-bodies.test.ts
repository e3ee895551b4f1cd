import { afterAll, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { tlsSocket } from '../support/stranger.ts'

const MiB = 1024 * 1024

const appliance = applianceForTests(() =>
  TestAppliance.own({ http: { workers: 1, maxBodyBytes: MiB, maxIdentifiedBytes: 8 * MiB } }),
)
const attacked = vaultForTests(appliance)
const honest = vaultForTests(appliance)
const endings: (() => void)[] = []

afterAll(async () => {
  for (const end of endings) end()
})

const plaintext = Buffer.alloc(600_000).toString('base64')

/** Sends a body of one MiB without its last byte, as a caller with a session. Answers are added to `heard`. */
async function unfinished(token: string, heard: string[]): Promise<void> {
  const socket = await tlsSocket(appliance)
  endings.push(() => socket?.destroy())
  socket?.on('error', () => undefined).on('data', (piece: Buffer) => heard.push(piece.toString('latin1')))
  const head = `POST /api/1.0/transparent/${attacked.id}/encrypt/key HTTP/1.1\r\nHost: x\r\n`
  socket?.write(`${head}X-Http-Token: ${token}\r\nContent-Length: ${MiB}\r\n\r\n`)
  socket?.write(Buffer.alloc(MiB - 1, ' '))
}

it('a caller who sends many large bodies and ends none takes the room from himself', async () => {
  const heard: string[] = []
  for (let n = 0; n < 12; n++) await unfinished(attacked.admin.token ?? '', heard)
  // Half of eight MiB has room for three of them.
  await expect.poll(() => heard.filter((text) => text.startsWith('HTTP/1.1 503 ')).length).toBe(9)
  expect(heard.join('')).toContain('"1910"')
  expect(heard.join('')).toMatch(/retry-after: 1\r\n/i)
  for (let n = 0; n < 5; n++) await honest.admin.must('POST', `/transparent/${honest.id}/encrypt/key`, { plaintext })
})

it('a body that has been answered holds nothing', async () => {
  for (let n = 0; n < 12; n++) await honest.admin.must('POST', `/transparent/${honest.id}/encrypt/key`, { plaintext })
})
