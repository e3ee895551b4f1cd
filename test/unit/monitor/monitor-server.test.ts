import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
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
