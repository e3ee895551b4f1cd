import { createPathValidator } from '../../features/certificates/path-validation.ts'
import { systemClock } from '../../clock.ts'
import { readCertificates } from '../../config/loader.ts'
import { enabledSmartcard } from '../../config/schema.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'smartcards'
const { ok, warning, problem } = findingsOf(topic)

/**
 * Checks that certificates of smartcards can be validated: CA files, revocation lists, and client addresses from
 * proxies.
 */
export const smartcardCheck: Check = {
  topic,
  run(config) {
    const settings = enabledSmartcard(config)
    if (settings === undefined) return []
    if (settings.clientCa === undefined)
      return [
        warning(
          'certificates of any issuer are accepted',
          'Name the CA of the cards in smartcard.clientCa, so that it can revoke them.',
        ),
      ]
    for (const path of [settings.clientCa, settings.intermediates]) if (path !== undefined) readCertificates(path)
    const findings: Finding[] = []
    const unusable = (sentence: string): void =>
      void findings.push(problem(sentence, 'Correct the file, or take it out of the configuration.'))
    for (const alarm of createPathValidator(settings, systemClock, unusable).alarms())
      findings.push(warning(alarm, 'Replace the list by a fresh one; no restart is needed.'))
    const silent = settings.proxies.filter((proxy) => !config.http.proxies.includes(proxy))
    if (silent.length > 0)
      findings.push(
        warning(
          `all clients of ${silent.join(', ')} count as one address for the delays after failed logins`,
          'Let the proxy write X-Forwarded-For for every call, and name it in http.proxies too.',
        ),
      )
    return findings.length > 0 ? findings : [ok(`asked for on port ${settings.port}`)]
  },
}
