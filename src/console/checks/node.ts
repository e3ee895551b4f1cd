import { findingsOf, type Finding } from '../output/finding.ts'

const least = [20, 19] as const

export function nodeFinding(): Finding {
  const { ok, problem } = findingsOf('node')
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > least[0] || (major === least[0] && minor >= least[1])) return ok(`version ${process.versions.node}`)
  return problem(
    `version ${process.versions.node} is too old`,
    `Install Node.js ${least.join('.')} or later, then build Strongroom again.`,
  )
}
