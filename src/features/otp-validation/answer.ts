import { signedText } from './request.ts'

/** The words of the published protocol. NOT_ENOUGH_ANSWERS is never said: one database decides, and there are no others to ask. */
export type Status =
  | 'OK'
  | 'BAD_OTP'
  | 'REPLAYED_OTP'
  | 'REPLAYED_REQUEST'
  | 'BAD_SIGNATURE'
  | 'MISSING_PARAMETER'
  | 'NO_SUCH_CLIENT'
  | 'OPERATION_NOT_ALLOWED'
  | 'BACKEND_ERROR'

export type Members = Readonly<Record<string, string>>

/** The members of an answer but its signature. `atMs`: milliseconds since the Unix epoch. */
export function answerMembers(status: Status, echo: Members, more: Members, atMs: number): Members {
  return { t: timeText(atMs), ...echo, ...more, status }
}

/** HMAC-SHA-1 (20 bytes) by a client's API key. */
export type Sign = (text: string) => Promise<Buffer>

/** The answer as it is sent. Without a client there is no key to sign with; `h` is empty then, for clients expect the line. */
export async function writeAnswer(members: Members, sign: Sign | undefined): Promise<string> {
  const signature = sign === undefined ? '' : (await sign(signedText(Object.entries(members)))).toString('base64')
  const lines = Object.entries({ h: signature, ...members }).map(([name, value]) => `${name}=${value}\r\n`)
  return `${lines.join('')}\r\n`
}

/** As the published service writes it: seconds in ISO 8601, then `Z0` and the milliseconds. */
function timeText(atMs: number): string {
  const [seconds, milliseconds = ''] = new Date(atMs).toISOString().split('.')
  return `${seconds}Z0${milliseconds.slice(0, 3)}`
}
