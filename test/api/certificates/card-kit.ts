import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { freePort, TestAppliance, type Overrides, type TestUser } from '../../support/appliance.ts'
import { TestClient, type Answer } from '../../support/client.ts'
import { pemOf, type Card } from '../../support/client-pki.ts'

/** An appliance with smartcards, and users with and without them. */
export class CardAppliance {
  readonly appliance: TestAppliance
  readonly admin: TestClient
  /** URL of the listener that requests certificates. */
  readonly url: string
  readonly #clients: TestClient[] = []

  private constructor(appliance: TestAppliance, admin: TestClient, port: number) {
    this.appliance = appliance
    this.admin = admin
    this.url = `https://127.0.0.1:${port}/api/1.0`
  }

  static async start(smartcard: Readonly<Record<string, unknown>>, more: Overrides = {}): Promise<CardAppliance> {
    const port = await freePort()
    const appliance = await TestAppliance.own({ ...more, smartcard: { port, ...smartcard } })
    const admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    return new CardAppliance(appliance, admin, port)
  }

  /** A client that presents this card in TLS, with connections of its own. */
  holding(card: Card | undefined, tls: object = {}): TestClient {
    const identity = card && { cert: readFileSync(card.certificate), key: readFileSync(card.key) }
    const client = new TestClient(this.url, this.appliance.ca, undefined, { ...identity, ...tls })
    this.#clients.push(client)
    return client
  }

  register(user: TestUser, card: Pick<Card, 'certificate'>): Promise<Answer> {
    return upload(this.admin, user.id, pemOf(card))
  }

  /** Makes a user with this card. */
  async holder(card: Card): Promise<TestUser> {
    const user = await this.appliance.addUser()
    expect((await this.register(user, card)).json.ERRORS ?? []).toEqual([])
    return user
  }

  /** The members that published clients send: the certificate takes the place of the OTP. */
  credentials(user: TestUser): Record<string, string> {
    const { username, passphrase } = user
    return { username, passphrase, apikey: this.appliance.applicationKey, logintype: 'smartcard' }
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.appliance.close()
  }
}

export function upload(
  client: TestClient,
  userId: number | string,
  content: string | Buffer,
  part = 'file',
): Promise<Answer> {
  const boundary = 'a-boundary-that-no-certificate-holds'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="card.cer"\r\nContent-Type: application/x-x509-user-cert\r\n\r\n`
  const raw = Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)])
  return client.call('POST', `/usercert/${userId}`, {
    raw,
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  })
}
