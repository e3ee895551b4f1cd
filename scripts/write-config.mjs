// node scripts/write-config.mjs FILE option=value …: writes a new configuration file; values are JSON, or else text.
import { writeFileSync } from 'node:fs'

const [file, ...settings] = process.argv.slice(2)
const config = {}
for (const setting of settings) {
  const at = setting.indexOf('=')
  const [section, option] = setting.slice(0, at).split('.')
  config[section] = { ...config[section], [option]: valueOf(setting.slice(at + 1)) }
}
writeFileSync(file, `${JSON.stringify(config, undefined, 2)}\n`, { flag: 'wx', mode: 0o644 })

function valueOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
