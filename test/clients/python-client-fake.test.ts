import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { clientFolder, python, pythonTests } from './python-client-kit.ts'

describe('the fake of the client for Python', () => {
  pythonTests('test_fake', () => ({}))

  it('runs the lines of the README', () => {
    const readme = readFileSync(join(clientFolder, 'README.md'), 'utf8')
    const [lines = ''] = /from strongroom\.fake[^]*?(?=```)/.exec(readme) ?? []
    python(['-c', lines])
  })
})
