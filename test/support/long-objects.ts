import type { TestClient } from './client.ts'
import { createObject } from './object-kit.ts'

/** Three bytes a character in the database, and six in an answer. */
export const euros = '€'.repeat(65_536)

/** What a Credit Card is made of. */
export const card = { templateid: '11', service: 'short', cardno: '1', cvc: '1', pincode: '1' }

/** Its open fields but for `service`, as long as they can be. */
export const longNotes = { expires: euros, owner: euros, note1: euros, note2: euros }

/** More than a list of a vault holds: it leaves out the open fields of each. */
const tooMany = 22

/** Fills a vault with Credit Cards of which its list leaves out the open fields; the first is of this service. */
export async function fillWithLong(client: TestClient, groupid: string, service: string): Promise<void> {
  for (let at = 0; at < tooMany; at++)
    await createObject(client, groupid, { ...card, ...longNotes, service: at === 0 ? service : `Long ${at}` })
}
