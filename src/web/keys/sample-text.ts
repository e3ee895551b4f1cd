import type { DoneCall } from './bench-calls.ts'
import { bytesOfBase64, writtenAs } from './binary-text.ts'
import { inShell } from './shell-text.ts'

export type SampleLanguage = 'curl' | 'Node.js' | 'Python'

/**
 * The call as a program makes it. Address and session token come from the environment (STRONGROOM, TOKEN), data from
 * the file `input`, so that the sample contains no secret.
 */
export const sampleText: Readonly<Record<SampleLanguage, (done: DoneCall) => string>> = {
  curl: curlText,
  'Node.js': nodeText,
  Python: pythonText,
}

/** Escapes a text for a here-document of a shell, in which $, ` and \ have a meaning. */
const inHereDocument = (text: string): string => text.replaceAll(/[\\$`]/g, String.raw`\$&`)

function curlText({ operation, key, members, dataMember, dataKeyType }: DoneCall): string {
  const place = key ? `${key.vaultid}/` : ''
  const name = key ? `/${encodeURIComponent(key.name)}` : ''
  const path = operation === 'rewrap' ? `rewrap/${place}` : `${place}${operation}/`
  const called = `${path}${dataKeyType ?? ''}`.replace(/\/$/, '')
  const head = [`curl "$STRONGROOM/api/1.0/transparent/${called}${name}"`, '-H "X-Http-Token: $TOKEN"']
  if (dataMember === undefined) return [...head, `-d ${inShell(JSON.stringify(members))}`].join(' \\\n  ')
  const said = inHereDocument(JSON.stringify(members).slice(1))
  const data = String.raw`{"${dataMember}":"$(base64 < input | tr -d '\n')"${said === '}' ? '' : ','}${said}`
  return `${[...head, '-d @- <<END'].join(' \\\n  ')}\n${data}\nEND`
}

type Member = string | number | boolean

/** The members of the call as named options of a client, without those that are arguments of their own. */
function optionsOf(
  { members }: DoneCall,
  nameOf: (name: string) => string,
  written: (value: Member) => string,
  bytes: (base64: string) => string,
): string[] {
  return Object.entries(members)
    .filter(([name]) => !['ciphertext', 'signature', 'hmac'].includes(name))
    .map(([name, value]): [string, string] => {
      if (name === 'aad') return [name, textOrBytes(String(value), bytes)]
      return [name, written(/_version$|^bits$/.test(name) ? Number(value) : value)]
    })
    .map(([name, value]) => `${nameOf(name)}${value}`)
}

function textOrBytes(base64: string, bytes: (base64: string) => string): string {
  const text = writtenAs('text', bytesOfBase64(base64) ?? new Uint8Array())
  return text === undefined ? bytes(base64) : JSON.stringify(text)
}

const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase())

/** The ciphertext, signature or HMAC of a call, which is an argument of its own. */
const made = ({ members }: DoneCall): string =>
  JSON.stringify(members['ciphertext'] ?? members['signature'] ?? members['hmac'] ?? '')

function nodeText(done: DoneCall): string {
  const { operation, key, members, dataMember } = done
  const given = optionsOf(
    done,
    (name) => `${camelCase(name)}: `,
    (value) => JSON.stringify(value),
    (base64) => `Buffer.from(${JSON.stringify(base64)}, 'base64')`,
  )
  if (done.dataKeyType === 'wrapped') given.push('wrapped: true')
  const options = given.length === 0 ? '' : `, { ${given.join(', ')} }`
  const alone = options.slice(2)
  const input = "readFileSync('input')"
  const uses: Readonly<Record<DoneCall['operation'], string>> = {
    encrypt: `console.log(await key.encrypt(${input}${options}))`,
    decrypt: `stdout.write(await key.decrypt(${made(done)}${options}))`,
    rewrap: `console.log(await key.rewrap(${made(done)}${options}))`,
    datakey: `const dataKey = await key.dataKey(${alone})\nconsole.log(dataKey.ciphertext)`,
    sign: `console.log(await key.sign(${input}${options}))`,
    hmac: `console.log(await key.hmac(${input}${options}))`,
    verify: `console.log(await key.${'hmac' in members ? 'verifyHmac' : 'verify'}(${input}, ${made(done)}${options}))`,
    hash: [
      `const body = { input: readFileSync('input', 'base64')${options.replace(/^, \{ /, ', ').replace(/ \}$/, '')} }`,
      "console.log((await client.call('transparent.hash', { body })).CALLINFO.sum)",
    ].join('\n'),
    random: `console.log((await client.call('transparent.random', { body: ${alone} })).CALLINFO.random_bytes)`,
  }
  return [
    ...(dataMember === undefined ? [] : ["import { readFileSync } from 'node:fs'"]),
    `import { env${operation === 'decrypt' ? ', stdout' : ''} } from 'node:process'`,
    "import { createClient } from '@strongroom/client'",
    '',
    'const client = createClient({ url: env.STRONGROOM, token: env.TOKEN })',
    ...(key ? [`const key = client.key(${JSON.stringify(key.vaultid)}, ${JSON.stringify(key.name)})`] : []),
    uses[operation],
  ].join('\n')
}

const inPython = (value: Member): string => (value === true ? 'True' : JSON.stringify(value))

function pythonText(done: DoneCall): string {
  const { operation, key, members, dataMember } = done
  const given = optionsOf(
    done,
    (name) => `${name}=`,
    inPython,
    (base64) => `base64.b64decode(${JSON.stringify(base64)})`,
  )
  if (done.dataKeyType === 'wrapped') given.push('wrapped=True')
  const options = given.map((one) => `, ${one}`).join('')
  const alone = given.join(', ')
  const input = 'Path("input").read_bytes()'
  const inBody = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}: ${inPython(value)}`)
  const encoded = `"input": base64.b64encode(${input}).decode()`
  const uses: Readonly<Record<DoneCall['operation'], string>> = {
    encrypt: `print(key.encrypt(${input}${options}))`,
    decrypt: `sys.stdout.buffer.write(key.decrypt(${made(done)}${options}))`,
    rewrap: `print(key.rewrap(${made(done)}${options}))`,
    datakey: `print(key.data_key(${alone}).ciphertext)`,
    sign: `print(key.sign(${input}${options}))`,
    hmac: `print(key.hmac(${input}${options}))`,
    verify: `print(key.${'hmac' in members ? 'verify_hmac' : 'verify'}(${input}, ${made(done)}${options}))`,
    hash: `print(client.call("transparent.hash", body={${[encoded, ...inBody].join(', ')}})["CALLINFO"]["sum"])`,
    random: `print(client.call("transparent.random", body={${inBody.join(', ')}})["CALLINFO"]["random_bytes"])`,
  }
  const use = uses[operation]
  const modules = ['base64', 'os', 'sys'].filter((name) => name === 'os' || use.includes(`${name}.`))
  return [
    `import ${modules.join(', ')}`,
    ...(dataMember === undefined ? [] : ['from pathlib import Path']),
    'from strongroom import Client',
    '',
    'with Client(os.environ["STRONGROOM"], token=os.environ["TOKEN"]) as client:',
    ...(key ? [`    key = client.key(${JSON.stringify(key.vaultid)}, ${JSON.stringify(key.name)})`] : []),
    `    ${use}`,
  ].join('\n')
}
