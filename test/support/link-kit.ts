import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, TestClient } from './client.ts'

/** What the maker of a link is told of it. */
export interface TestLink {
  readonly id: string
  readonly opener: string
  /** Base64, as it was handed over. */
  readonly ciphertext: string
}

export async function makeLink(client: TestClient, members: object = {}): Promise<TestLink> {
  const ciphertext = randomBytes(64).toString('base64')
  // The answer repeats no ciphertext.
  const { status, json } = await client.call('POST', '/link', { raw: JSON.stringify({ ciphertext, ...members }) })
  expect(status, JSON.stringify(json.ERRORS)).toBe(201)
  const { CALLINFO } = json
  const { link, opener } = CALLINFO as unknown as { link: { id: string }; opener: string }
  return { id: link.id, opener, ciphertext }
}

/** The answer repeats no opener. */
export const openLink = (client: TestClient, { opener }: Pick<TestLink, 'opener'>): Promise<Answer> =>
  client.call('POST', '/link/open', { raw: JSON.stringify({ opener }) })

/** What lists say of a link to its maker. */
export async function listedLink(client: TestClient, { id }: Pick<TestLink, 'id'>): Promise<Record<string, unknown>> {
  const { links } = (await client.must('GET', '/link')).CALLINFO as unknown as { links: Record<string, unknown>[] }
  return links.find((link) => link['id'] === id) ?? {}
}
