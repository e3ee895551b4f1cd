import type { TestAppliance } from './appliance.ts'
import type { Envelope, TestClient } from './client.ts'

/** An object in answers. */
export type ObjectRecord = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly objectname: string
  readonly public: Readonly<Record<string, string>>
  readonly crypted?: Readonly<Record<string, string>>
  readonly fileinfo?: Readonly<Record<string, string>>
}

export const objectsIn = (envelope: Envelope, member = 'OBJECT'): ObjectRecord[] => envelope[member] as ObjectRecord[]

/** Creates an object, by default a Server. Resolves to its id. */
export async function createObject(client: TestClient, groupid: string, members: object = {}): Promise<string> {
  const { CALLINFO } = await client.must('POST', '/object', { groupid, ...server, ...members })
  return String(CALLINFO['objectid'])
}

/** Members of an object of type Server. */
export const server = {
  templateid: '1',
  host: 'core1.example.test',
  username: 'netops',
  password: 'S3cret-pass.phrase',
}

export async function readObject(client: TestClient, id: string, query = ''): Promise<ObjectRecord> {
  const [object] = objectsIn(await client.must('GET', `/object/${id}${query}`))
  if (object === undefined) throw new Error('an answer without an object')
  return object
}

/**
 * The audit records of all workers whose subject is this one, or begins with it and a colon. Their order is arbitrary.
 */
export function recordsAbout({ trail }: TestAppliance, subject: string): Record<string, unknown>[] {
  return trail
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((record) => String(record['subject']).split(':')[0] === subject)
}

/** A form with this file as its last part. Returns the boundary and the bytes to send. */
export function formWith(fields: object, content: Uint8Array, filename = 'file.bin', part = 'upload') {
  const boundary = 'test-boundary'
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
  )
  const opening = `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${filename}"\r\nContent-Type: application/x-test\r\n\r\n`
  return {
    raw: Buffer.concat([Buffer.from(head.join('') + opening), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** Creates an object with a file. Resolves to its id. */
export async function upload(
  client: TestClient,
  fields: object,
  content: Uint8Array,
  filename?: string,
): Promise<string> {
  const { json } = await client.call('POST', '/object', formWith(fields, content, filename))
  if (json.CALLINFO.status !== 'SUCCESS') throw new Error(json.ERRORS?.[0])
  return String(json.CALLINFO['objectid'])
}
