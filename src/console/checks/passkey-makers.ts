import { readCertificates } from '../../config/loader.ts'
import { passkeyRulesOf } from '../../config/passkey-section.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'passkeys'
const { ok } = findingsOf(topic)

/** Checks that the CAs of accepted authenticator makers can be read. Without them no passkey can be registered. */
export const passkeyMakersCheck: Check = {
  topic,
  run(config) {
    const attestation = config.login.webauthn?.attestation
    if (passkeyRulesOf(config) === undefined || attestation === undefined) return []
    readCertificates(attestation.ca)
    return [ok('new ones only of the makers in login.webauthn.attestation')]
  },
}
