import { readAuthorities } from '../../config/loader.ts'
import { passkeyRulesOf } from '../../config/passkey-section.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'passkeys'
const { ok } = findingsOf(topic)

/** Whether the CAs of the makers whose authenticators are taken can be read: without them, no passkey is registered. */
export const passkeyMakersCheck: Check = {
  topic,
  run(config) {
    const attestation = config.login.webauthn?.attestation
    if (passkeyRulesOf(config) === undefined || attestation === undefined) return []
    readAuthorities(attestation.ca)
    return [ok('new ones only of the makers in login.webauthn.attestation')]
  },
}
