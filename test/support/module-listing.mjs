import { appendFileSync } from 'node:fs'
import Module, { register } from 'node:module'
import { basename, join } from 'node:path'

// For `node --import`: each module that the process loads, from its start on, is a line of a file that is named for the
// program, in the folder MODULE_LISTING.

const [, program = ''] = process.argv
const listing = join(process.env.MODULE_LISTING ?? '', basename(program))

// oxlint-disable-next-line eslint/no-underscore-dangle -- the name that Node gives it
const resolveFilename = Module._resolveFilename
// oxlint-disable-next-line eslint/no-underscore-dangle -- likewise
Module._resolveFilename = function (...request) {
  const found = resolveFilename.apply(this, request)
  appendFileSync(listing, `${found}\n`)
  return found
}

const hooks = `import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(listing)}, url + '\\n')
  return next(url, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
