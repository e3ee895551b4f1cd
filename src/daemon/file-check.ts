import { configurationFiles } from '../config/configured-paths.ts'
import { isUnresolved, readBytes, readCertificates } from '../config/loader.ts'
import { enabledSmartcard, type Config } from '../config/schema.ts'
import { secureContextOptions } from '../http/server/server.ts'
import { serverCertificate } from './listeners.ts'

/** Files of the token hosts and the keeper, which belong to other users, and revocation lists, which may come later. */
const unread = /^(?:hsm\.softhsmConf|service\.issuers\.\d+\.jwksFile|smartcard\.crls\.\d+)$/
/** Without certificates in these no worker starts. */
const ofListeners = /^smartcard\.(?:clientCa|intermediates)$/

/**
 * Reads the files that the workers read, without those of sections that are turned off. Not systemd credentials outside
 * systemd, nor files of secrets other than the key of the interface.
 * @throws ConfigError that names the setting, or node:tls's error where certificate and key do not belong together
 */
export function checkFiles(config: Config): void {
  const { tls, service } = config
  const used = { ...config, smartcard: enabledSmartcard(config), service: service.enabled ? service : undefined }
  for (const { option, path } of configurationFiles(used)) {
    if (unread.test(option) || isUnresolved(path)) continue
    const read = ofListeners.test(option) ? readCertificates : readBytes
    read(path, `make it, or correct ${option}`)
  }
  if (!isUnresolved(tls.certificate) && !isUnresolved(tls.key))
    secureContextOptions(serverCertificate(tls), tls.minVersion)
}
