import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { defaultConfigFile } from '../../config/default-file.ts'
import type { Config } from '../../config/schema.ts'

/** The command that starts the daemon with this configuration on this machine. */
export function startLine(configFile: string, { hsm }: Pick<Config, 'hsm'>): string {
  const byHand = `strongroomd --config ${configFile}`
  if (resolve(configFile) !== defaultConfigFile) return byHand
  // dpkg keeps this list of files for an installed package.
  if (existsSync('/var/lib/dpkg/info/strongroom.list')) return 'dpkg-reconfigure strongroom'
  if (!existsSync('/etc/systemd/system/strongroom.service')) return byHand
  const hosts = hsm.sockets.map((socket) => `strongroom-token@${basename(socket, '.sock')}.socket`)
  const inside = [...hosts, 'strongroom-token@key-maker.socket', 'strongroom-keeper{,-operator}.socket']
  return ['systemctl enable --now', ...(hsm.spawn ? [] : inside), 'strongroom.service'].join(' ')
}
