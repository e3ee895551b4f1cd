import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { exitReasonOf } from '../../../src/daemon/exit.ts'

it.each(['192.0.2.1', 'strongroom.invalid'])(
  '%s, which is no address of this machine, is named as a setting',
  async (host) => {
    const [error] = await once(createServer().listen(0, host), 'error')
    expect(exitReasonOf(error, 'validator')).toEqual({
      code: 5,
      message: 'validator.host is not an address of this machine',
    })
  },
)
