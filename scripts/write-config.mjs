// node scripts/write-config.mjs [--over] FILE option=value …: writes a new configuration file, or with --over sets
// these options in an existing one. A value that is not JSON is taken as text.
import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'

const isOver = process.argv[2] === '--over'
const [name, ...settings] = process.argv.slice(isOver ? 3 : 2)
if (!isOver && existsSync(name)) throw new Error(`${name} exists.`)
const file = isOver ? realpathSync(name) : name
const config = isOver ? JSON.parse(readFileSync(file, 'utf8')) : {}
for (const setting of settings) {
  const at = setting.indexOf('=')
  const [section, option] = setting.slice(0, at).split('.')
  config[section] = { ...config[section], [option]: valueOf(setting.slice(at + 1)) }
}
// Renamed, so that a full disk leaves no part of a configuration in its place.
writeFileSync(`${file}.new`, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o644 })
if (isOver) {
  const { mode, uid, gid } = statSync(file)
  chownSync(`${file}.new`, uid, gid)
  chmodSync(`${file}.new`, mode & 0o7777)
}
renameSync(`${file}.new`, file)

function valueOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
