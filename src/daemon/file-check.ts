import { configurationFiles } from '../config/configured-paths.ts'
import { isUnresolved, readBytes } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { secureContextOptions } from '../http/server/server.ts'
import { serverCertificate } from './listeners.ts'

/**
 * Reads the files that the workers read at their start. Not those of the token hosts, which belong to another user, nor
 * systemd credentials outside systemd.
 * @throws ConfigError that names the setting, or node:tls's error where certificate and key do not belong together
 */
export function checkFiles(config: Config): void {
  const { tls } = config
  for (const { option, path } of configurationFiles(config))
    if (option !== 'hsm.softhsmConf' && !isUnresolved(path)) readBytes(path, `make it, or correct ${option}`)
  if (!isUnresolved(tls.certificate) && !isUnresolved(tls.key))
    secureContextOptions(serverCertificate(tls), tls.minVersion)
}
