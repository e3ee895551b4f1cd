import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, TestClient } from './client.ts'

/** What the answer tells the maker of a link. */
export interface TestLink {
  readonly id: string
  readonly opener: string
  /** The ciphertext that the maker sent (base64). */
  readonly ciphertext: string
}

export async function makeLink(client: TestClient, members: object = {}): Promise<TestLink> {
  const ciphertext = randomBytes(64).toString('base64')
  // Sent as `raw`, since the answer does not repeat the ciphertext.
  const { status, json } = await client.call('POST', '/link', { raw: JSON.stringify({ ciphertext, ...members }) })
  expect(status, JSON.stringify(json.ERRORS)).toBe(201)
  const { CALLINFO } = json
  const { link, opener } = CALLINFO as unknown as { link: { id: string }; opener: string }
  return { id: link.id, opener, ciphertext }
}

/** Sends the opener as `raw`, since the answer does not repeat it. */
export const openLink = (client: TestClient, { opener }: Pick<TestLink, 'opener'>): Promise<Answer> =>
  client.call('POST', '/link/open', { raw: JSON.stringify({ opener }) })

/** The entry of a link in its maker's list. */
export async function listedLink(client: TestClient, { id }: Pick<TestLink, 'id'>): Promise<Record<string, unknown>> {
  const { links } = (await client.must('GET', '/link')).CALLINFO as unknown as { links: Record<string, unknown>[] }
  return links.find((link) => link['id'] === id) ?? {}
}
