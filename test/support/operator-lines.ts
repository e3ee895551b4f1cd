import type { Typed } from './session.ts'

const write = '/usr/lib/strongroom/node/bin/node /usr/lib/strongroom/scripts/write-config.mjs --over'

/** Edits a settings file, in place of an operator's editor. */
export function edit(file: string, settings: Readonly<Record<string, string>>): Typed {
  const given = Object.entries(settings)
  const values = given.map(([option, value]) => `'${option}=${value}'`).join(' ')
  return {
    line: `${write} ${file} ${values}`,
    as: [`editor ${file}`, ...given.map(([option, value]) => `    ${option}: ${value}`)].join('\n'),
  }
}

/** A line whose output is not shown. */
export const quietly = (line: string): Typed => ({ line, shown: 0 })

export const untilReady = 'until curl -fs http://127.0.0.1:8445/health/ready >/dev/null; do sleep 0.2; done'

/** Turns the daily backup on and starts it at once. */
export const backupByTimer = (config: string, recipient = ''): (string | Typed)[] => [
  'install -d -m 0755 /srv/strongroom-backups',
  edit(config, { 'backup.recipients': `["${recipient}"]`, 'backup.directory': '/srv/strongroom-backups' }),
  `systemctl restart strongroom.service && ${untilReady}`,
  'systemctl enable --now strongroom-backup.timer 2>/dev/null',
  'systemctl start strongroom-backup.service',
  'ls /srv/strongroom-backups',
  'strongroom doctor --only backup',
]

/** Installs or upgrades from a file in /root. Shows the messages of the package, not those of apt. */
export const install = (file: string, before = ''): Typed => ({
  line: `${before}apt-get -q -y install --no-install-recommends ./${file} 2>&1`,
  as: `${before}apt-get install ./${file}`,
  shown: /✓|✗|^ {2}strongroom |Keep elsewhere|Nothing else/,
})
