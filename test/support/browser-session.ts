import { expect } from 'vitest'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { Answer } from './client.ts'

/** Headers that a browser and the console's script send with each call of a page of the appliance. */
export const ownPage = { 'Sec-Fetch-Site': 'same-origin', 'X-Strongroom-Console': '1' }

export interface BrowserSession {
  /** `name=value`, as the browser sends it. */
  readonly cookie: string
  readonly token: string
  /** The answer of the login. */
  readonly answer: Answer
}

export const setCookieOf = ({ headers }: Answer): readonly string[] => [headers['set-cookie'] ?? []].flat()

export const cookieOf = (answer: Answer): string => setCookieOf(answer)[0]?.split(';')[0] ?? ''

export const tokenIn = (cookie: string): string => cookie.replace(/^__Host-strongroom=cookie\./, '')

/** Logs a user in with a session cookie, as the page of the appliance does. */
export async function logInByCookie(appliance: TestAppliance, user?: TestUser): Promise<BrowserSession> {
  const members = { ...appliance.credentials(user ?? (await appliance.addUser())), session: 'cookie' }
  const answer = await appliance.client().post('/auth', members, { headers: ownPage })
  expect(answer.status, answer.json.ERRORS?.join()).toBe(200)
  const cookie = cookieOf(answer)
  return { cookie, token: tokenIn(cookie), answer }
}
