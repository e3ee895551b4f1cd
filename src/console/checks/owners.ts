import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import type { Identity } from '../../daemon/process-users.ts'
import { databaseFiles } from '../../folder-owner.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { may, ownerOf, usersOf } from './process-owners.ts'

const topic = 'owners'
const { ok, problem } = findingsOf(topic)

/** Checks that the users of the processes own their files, and can connect to the sockets. */
export const ownersCheck: Check = {
  topic,
  run(config) {
    const { workers, inside } = usersOf(config)
    const findings = [
      ...filesOf(config, 'workers').flatMap((files) => findingsIn(files, workers)),
      ...filesOf(config, 'inside').flatMap((files) => findingsIn(files, inside)),
      ...(workers === undefined ? [] : socketFindings(config, workers)),
    ]
    return findings.length > 0 ? findings : [ok('each process owns its files')]
  },
}

/** A folder that a process owns with these of its entries. */
interface OwnedFiles {
  readonly setting: string
  readonly folder: string
  readonly isOwn: (name: string) => boolean
  /** Whether all that lies below is the process's. */
  readonly isWhole: boolean
}

/** A database with its journals. */
const database = (setting: string, file: string): OwnedFiles => ({
  setting,
  folder: dirname(file),
  isOwn: (name) => databaseFiles(basename(file)).includes(name),
  isWhole: false,
})

const whole = (setting: string, folder: string): OwnedFiles => ({ setting, folder, isOwn: () => true, isWhole: true })

function filesOf({ hsm, store, audit }: Config, side: 'workers' | 'inside'): OwnedFiles[] {
  if (side === 'workers')
    return [
      ...(store.sqlite === undefined ? [] : [database('store.sqlite', store.sqlite)]),
      whole('audit.directory', audit.directory),
    ]
  const { state, floors } = keeperOf({ hsm })
  return [
    ...[state, floors].map((file) => database('hsm.keeper.state', file)),
    ...(hsm.tokenDirectory === undefined ? [] : [whole('hsm.tokenDirectory', hsm.tokenDirectory)]),
  ]
}

/** Without a known user, what lies in the folder has to belong to the folder's owner. */
function findingsIn({ setting, folder, isOwn, isWhole }: OwnedFiles, user = ownerOf(folder)): Finding[] {
  const stat = statOf(folder)
  // The check "permissions" reports folders that do not exist.
  if (user === undefined || stat === undefined) return []
  const below = readdirSync(folder, { recursive: isWhole, encoding: 'utf8' }).filter(isOwn)
  const wrong = [folder, ...below.map((name) => join(folder, name))].filter((path) => !isUsable(path, user))
  const [first] = wrong
  if (first === undefined) return []
  const others = wrong.length === 1 ? '' : `; so it is with ${count(wrong.length - 1, 'more file')} there`
  const [flag, where] = isWhole && wrong.length > 3 ? ['-R ', folder] : ['', wrong.join(' ')]
  const commands = [
    ...(wrong.some((path) => !isOwnedBy(path, user)) ? [`chown ${flag}${user.name}: ${where}`] : []),
    ...(wrong.some((path) => !isOpenToOwner(path)) ? [`chmod ${flag}u+rwX ${where}`] : []),
  ]
  return [
    problem(
      `${described(first)} (${setting}): ${user.name}, the user of the process that needs it, has to own it, and to read and write it${others}`,
      commands.join(' && '),
    ),
  ]
}

const isUsable = (path: string, user: Identity): boolean => isOwnedBy(path, user) && isOpenToOwner(path)

/** A file that was removed since the folder was listed needs nothing. */
const isOwnedBy = (path: string, { uid }: Identity): boolean => (statOf(path)?.uid ?? uid) === uid

function isOpenToOwner(path: string): boolean {
  const stat = statOf(path)
  const needed = stat?.isDirectory() === true ? 0o700 : 0o600
  return stat === undefined || (stat.mode & needed) === needed
}

/** The sockets of hosts and keeper as far as they exist: other checks say that none answers. */
function socketFindings({ hsm }: Config, workers: Identity): Finding[] {
  return [...hsm.sockets, keeperOf({ hsm }).socket]
    .filter((socket) => statOf(socket) !== undefined && !may(workers, '-w', socket))
    .slice(0, 1)
    .map((socket) =>
      problem(
        `${socket} is closed to ${workers.name}, the user of the daemon: ${described(socket)}, ${described(dirname(socket))}`,
        hsm.spawn
          ? 'Stop the daemon, remove that folder, and start the daemon: it makes folder and sockets anew.'
          : `chmod 0755 ${dirname(socket)} && systemctl stop 'strongroom*.service' 'strongroom*.socket' && systemctl start strongroom`,
      ),
    )
}

function described(path: string): string {
  const mode = ((statOf(path)?.mode ?? 0) & 0o7777).toString(8).padStart(4, '0')
  return `${path} belongs to ${ownerOf(path)?.name ?? 'an unknown user'}, mode ${mode}`
}

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
