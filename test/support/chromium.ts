import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A page in Debian's Chromium, controlled over a pipe (Chrome DevTools Protocol). */
export interface Page {
  /** Complaints of the browser: console errors, exceptions, policy violations, failed requests. */
  readonly complaints: readonly string[]
  /** Addresses of all requests of the page. */
  readonly requests: readonly string[]
  /** Resolves when the page is completely loaded. */
  open(url: string): Promise<void>
  reload(): Promise<void>
  /**
   * The value of a JavaScript expression, once it has settled.
   * @throws Error with what the page threw
   */
  run<T>(expression: string): Promise<T>
  /** Types into the focused element. A backspace is the key that deletes. */
  type(text: string): Promise<void>
  close(): Promise<void>
}

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-pipe',
]

const backspace = { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 }

/** Opens a page that trusts only `ca` (PEM), without exceptions from TLS. */
export async function openChromium(ca: string): Promise<Page> {
  const home = mkdtempSync(join(tmpdir(), 'chromium-'))
  trust(home, ca)
  const browser = spawn('chromium', [...flags, `--user-data-dir=${join(home, 'profile')}`], {
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const ended = once(browser, 'exit')
  const [, , , outgoing, incoming] = browser.stdio
  if (!outgoing || !('write' in outgoing) || !incoming) throw new Error('Chromium has no pipe.')
  const protocol = speak((text) => void outgoing.write(text), incoming as NodeJS.ReadableStream)
  const complaints: string[] = []
  const requests: string[] = []
  listen(protocol, complaints, requests)
  const { targetId } = await protocol.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await protocol.send('Target.attachToTarget', { targetId, flatten: true })
  const ask = (method: string, params: object = {}): Promise<Answer> => protocol.send(method, params, sessionId)
  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Audits']) await ask(`${domain}.enable`)

  return {
    complaints,
    requests,
    async open(url) {
      const loaded = protocol.next('Page.loadEventFired')
      const { errorText } = await ask('Page.navigate', { url })
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`)
      await loaded
    },
    async reload() {
      const loaded = protocol.next('Page.loadEventFired')
      await ask('Page.reload')
      await loaded
    },
    async run(expression) {
      const { result, exceptionDetails } = await ask('Runtime.evaluate', {
        expression: `(async () => (${expression}))()`,
        awaitPromise: true,
        returnByValue: true,
      })
      if (exceptionDetails !== undefined)
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return result.value
    },
    async type(text) {
      for (const character of text) {
        const key = character === '\b' ? backspace : { key: character, text: character }
        await ask('Input.dispatchKeyEvent', { type: 'keyDown', ...key })
        await ask('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
      }
    },
    async close() {
      await protocol.send('Browser.close')
      await ended
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Puts `ca` where Chromium looks for further authorities. */
function trust(home: string, ca: string): void {
  const store = join(home, '.pki/nssdb')
  const file = join(home, 'ca.pem')
  mkdirSync(store, { recursive: true })
  writeFileSync(file, ca)
  execFileSync('certutil', ['-d', `sql:${store}`, '-N', '--empty-password'])
  execFileSync('certutil', ['-d', `sql:${store}`, '-A', '-n', 'appliance', '-t', 'C,,', '-i', file])
}

// oxlint-disable-next-line typescript/no-explicit-any -- the protocol has hundreds of messages; each use knows its own
type Answer = any
type Protocol = ReturnType<typeof speak>

/** JSON messages, each terminated by a zero byte. */
function speak(write: (text: string) => void, incoming: NodeJS.ReadableStream) {
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  const listeners = new Map<string, ((params: Answer) => void)[]>()
  const on = (event: string, listener: (params: Answer) => void): void =>
    void listeners.set(event, [...(listeners.get(event) ?? []), listener])
  let sent = 0

  function hear(text: string): void {
    const { id, method, params, result, error } = JSON.parse(text)
    if (id === undefined) for (const listener of listeners.get(method) ?? []) listener(params)
    else if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(error.message))
  }

  let rest = ''
  incoming.setEncoding('utf8')
  incoming.on('data', (piece: string) => {
    const messages = (rest + piece).split('\0')
    rest = messages.pop() ?? ''
    messages.forEach(hear)
  })
  return {
    on,
    next: (event: string): Promise<void> => new Promise((resolve) => on(event, () => resolve())),
    send: (method: string, params: object = {}, sessionId?: string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        waiting.set(++sent, { resolve, reject })
        write(`${JSON.stringify({ id: sent, method, params, sessionId })}\0`)
      }),
  }
}

function listen({ on }: Protocol, complaints: string[], requests: string[]): void {
  on('Network.requestWillBeSent', ({ request }) => requests.push(request.url))
  on('Runtime.exceptionThrown', ({ exceptionDetails }) => complaints.push(`exception: ${exceptionDetails.text}`))
  on('Audits.issueAdded', ({ issue }) => complaints.push(`issue: ${issue.code}`))
  on('Log.entryAdded', ({ entry }) => complaints.push(`${entry.level}: ${entry.text} ${entry.url ?? ''}`.trim()))
  on('Runtime.consoleAPICalled', ({ type, args }) => {
    if (type === 'error' || type === 'warning' || type === 'assert')
      complaints.push(`console.${type}: ${args.map((one: Answer) => one.value ?? one.description).join(' ')}`)
  })
}
