import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findingsOf, type Check } from './findings.ts'

const { problem } = findingsOf('SO PIN')

/**
 * Finds the SO PIN where the setup of release 0.2.0 left it: beside the PIN, in the folder of the token, or with the
 * credentials.
 */
export const soPinCheck: Check = {
  topic: 'SO PIN',
  run({ hsm }, { config }) {
    const folders = [
      dirname(hsm.pinFile),
      ...(hsm.tokenDirectory === undefined ? [] : [dirname(hsm.tokenDirectory)]),
      join(dirname(config), 'credentials'),
    ]
    const files = [...new Set(folders.map((folder) => join(folder, 'so-pin')))].filter((file) => existsSync(file))
    return Promise.resolve(
      files.map((file) =>
        problem(
          `${file} holds the PIN of the security officer: anyone who reads it can take the backup keys out of the token`,
          'Write it down, keep it where the machine is not, and remove the file.',
        ),
      ),
    )
  },
}
