import { errorCodeOf, Fault } from '../fault.ts'

const remedies = new Map([
  ['ENOSPC', 'The disk of audit.directory is full; free space on it.'],
  ['EDQUOT', 'The disk quota of audit.directory is used up; raise it or free space.'],
  ['EFBIG', 'A file in audit.directory may not grow further; raise the file size limit or lower audit.segmentBytes.'],
  ['EACCES', 'The service may not write to audit.directory; correct its owner and mode.'],
  ['EPERM', 'The service may not write to audit.directory; correct its owner and mode.'],
  ['EROFS', 'audit.directory is on a read-only file system; mount it for writing.'],
  [
    'ENOENT',
    'audit.directory cannot be made, or a file of the trail in it, or the end of one, was removed; run strongroom audit verify and start the service again.',
  ],
])

/** The fault `audit.unavailable` that says what to do, for an error of the file system in `audit.directory`. */
export function trailUnavailable(error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = errorCodeOf(error) ?? 'unknown error'
  const remedy = remedies.get(code) ?? `The record could not be written to audit.directory (${code}); check its disk.`
  return new Fault('audit.unavailable', remedy, { cause: error })
}
