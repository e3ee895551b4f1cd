import type { TestClient } from './client.ts'
import { createObject } from './object-kit.ts'

/** Each character takes three bytes in the database, and six in an answer. */
export const euros = '€'.repeat(65_536)

/** Members of an object of type Credit Card. */
export const card = { templateid: '11', service: 'short', cardno: '1', cvc: '1', pincode: '1' }

/** Its open fields except `service`, of maximal length. */
export const longNotes = { expires: euros, owner: euros, note1: euros, note2: euros }

/** More objects than the list of a vault can show in full, so that it leaves out the open fields of each. */
const tooMany = 22

/** Fills a vault with Credit Cards until its list leaves out their open fields. The first one has this service. */
export async function fillWithLong(client: TestClient, groupid: string, service: string): Promise<void> {
  for (let at = 0; at < tooMany; at++)
    await createObject(client, groupid, { ...card, ...longNotes, service: at === 0 ? service : `Long ${at}` })
}
