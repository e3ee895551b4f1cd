import { randomBytes } from 'node:crypto'
import { capabilitiesOf } from '../../access/capabilities.ts'
import { readAssertion } from '../assertion.ts'
import type { ServiceEvidence } from '../login-request.ts'
import { pepperedBytes } from '../peppered-text.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import { keyOfNobody } from '../public-jwk.ts'
import { composeRecord, type FieldsOf, identityBytes } from '../record-layouts.ts'
import { serviceText } from '../service-account.ts'
import { checkNewest, type NewestShown, opened } from './shown-record.ts'

/**
 * A made-up account for a login to an unknown one. The evidence is checked against it as against any other, so that the
 * time of the answer does not reveal which names exist. No evidence fits its credentials.
 */
export type NoAccount = (evidence: ServiceEvidence) => FieldsOf<'service account'>

export function createNoAccount(on: NewestShown): NoAccount {
  const { token } = on
  const identity = randomBytes(identityBytes)
  const common = { name: 'none', addedAt: 0, expiresAt: null }
  const account = serviceText({
    owner: identity.toString('hex'),
    ownerRecoveries: 0,
    addresses: [],
    expiresAt: null,
    credentials: [
      // Credentials that take time to compare.
      { ...common, id: '0'.repeat(16), kind: 'jwt', publicKey: keyOfNobody(), kid: null },
      { ...common, id: '1'.repeat(16), kind: 'static', check: randomBytes(pepperedBytes).toString('base64') },
    ],
  })
  const fields = { identity, id: 0, capabilities: capabilitiesOf(['active']), recoveries: 0, account, generation: 1 }

  return (evidence) => {
    const none = { ...fields, username: nameIn(evidence) }
    // Does the work that an account takes: verifies its seal, reads its record, looks its floor up.
    const record = composeRecord('service account', none)
    seal(token, record)
    checkNewest(on, record, opened(record))
    return none
  }
}

/** The name that an application's own assertion has to contain. */
function nameIn({ kind, shown }: ServiceEvidence): string {
  if (kind !== 'jwt') return ''
  const { sub } = readAssertion(shown).claims
  return typeof sub === 'string' ? sub : ''
}
