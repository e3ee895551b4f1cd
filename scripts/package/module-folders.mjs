import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folder below node_modules of the package that a module is of; undefined for one of ours. */
export const packageFolder = (module) => /\/node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(module)?.[1]

/**
 * The packages of which something is in the files of the build: it says which. They lie where it took them from, and not in what is
 * packaged.
 */
export function bundledModules(root) {
  const listed = (name) => JSON.parse(readFileSync(join(root, 'dist', name), 'utf8'))
  const modules = (folders) =>
    [...new Set(folders)].toSorted().map((folder) => {
      const path = join(root, 'node_modules', folder)
      const description = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
      return { name: description.name, path, description }
    })
  return {
    console: modules(listed('web-packages.json')),
    programs: modules(Object.values(listed('program-packages.json')).flat()),
  }
}

/** Every package below a folder of Node packages, also those inside another one: where it lies, and its description. */
export function* moduleFolders(folder) {
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name)
    if (!statSync(path).isDirectory()) continue
    if (name.startsWith('@')) yield* moduleFolders(path)
    else yield* moduleIn(path)
  }
}

function* moduleIn(path) {
  const names = readdirSync(path)
  if (names.includes('package.json')) {
    yield { path, description: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) }
  }
  if (names.includes('node_modules')) yield* moduleFolders(join(path, 'node_modules'))
}
