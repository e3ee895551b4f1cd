import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The folder, below node_modules, of a module's package; undefined for our own modules. */
export const packageFolder = (module) => /\/node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(module)?.[1]

/**
 * The packages that are bundled into the files of the build, according to the lists that the build writes. Their
 * folders are those of ROOT, because they are not packaged themselves.
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

/** All packages in a folder of Node packages, including nested ones, each with its path and package.json. */
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
