import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMonitorServer } from '../../../src/monitor/monitor-server.ts'

it('a stranger who asks on and on without reading answers keeps no scraper waiting', async () => {
  let answers = 0
  const page = () => {
    answers += 1
    return Promise.resolve({ status: 200, contentType: 'text/plain', content: 'here\n' })
  }
  const server = createMonitorServer(new Map([['/metrics', page]]))
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  const strangers = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  const ends = strangers.map((socket) => {
    socket.resume().write('GET /metrics HTTP/1.1\r\nHost: monitor\r\n\r\n'.repeat(90))
    return once(socket, 'close')
  })
  await Promise.all(ends)
  const scrape = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(await scrape.text()).toBe('here\n')
  expect(answers).toBe(1)
})

describe('a scraper with a connection of its own', () => {
  /** A server whose answers take so long, and a scraper that keeps its connection. */
  async function givenScraper(answerMs = 0) {
    const page = async () => {
      await delay(answerMs)
      return { status: 200, contentType: 'text/plain', content: 'here\n' }
    }
    const server = createMonitorServer(new Map([['/metrics', page]]))
    const port = await server.listen({ host: '0.0.0.0', port: 0 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const strangers: Socket[] = []
    onTestFinished(async () => {
      agent.destroy()
      for (const socket of strangers) socket.destroy()
      await server.close()
    })
    const scrape = async (): Promise<{ body: string; from: number | undefined }> => {
      const request = get({ host: '127.0.0.1', port, path: '/metrics', agent })
      const [response] = await once(request, 'response')
      const from = response.socket.localPort
      return { body: await text(response), from }
    }
    /** Connections of a stranger, who may ask once by each. */
    const flood = async (count: number, { from = '127.0.0.1', isAsking = false } = {}): Promise<void> => {
      for (let made = 0; made < count; made++) {
        const socket = connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => undefined)
        strangers.push(socket)
        await Promise.race([once(socket, 'connect'), once(socket, 'close')])
        if (isAsking) socket.resume().write('GET /metrics HTTP/1.1\r\nHost: monitor\r\n\r\n')
      }
      await delay(50)
    }
    const stay = () => strangers.filter((socket) => !socket.destroyed && socket.readyState === 'open').length
    return { scrape, flood, stay }
  }

  it('keeps it through a flood of new connections that ask nothing', async () => {
    const { scrape, flood, stay } = await givenScraper()
    const { from } = await scrape()
    await flood(300)
    expect(await scrape()).toEqual({ body: 'here\n', from })
    expect(stay()).toBeLessThan(64)
  })

  it('gets the answer that is under way while a flood comes', async () => {
    const { scrape, flood } = await givenScraper(300)
    const answer = scrape()
    await delay(50)
    await flood(300)
    expect((await answer).body).toBe('here\n')
  })

  it('keeps it through a flood from another address that asks, too', async () => {
    const { scrape, flood } = await givenScraper()
    const { from } = await scrape()
    await flood(90, { from: '127.0.0.2', isAsking: true })
    expect((await scrape()).from).toBe(from)
  })

  it('finds a place where strangers hold them all', async () => {
    const { scrape, flood } = await givenScraper()
    await flood(64, { isAsking: true })
    expect((await scrape()).body).toBe('here\n')
  })
})
