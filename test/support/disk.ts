import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { diskFolder } from './temporary.ts'

const quietly = { stdio: 'pipe' } as const

abstract class Disk {
  readonly #home = mkdtempSync(join(diskFolder(), 'strongroom-disk-'))
  /** Its mount point. */
  readonly path = join(this.#home, 'disk')

  protected beside(name: string): string {
    return join(this.#home, name)
  }

  remove(): void {
    spawnSync('umount', ['--lazy', this.path], quietly)
    rmSync(this.#home, { recursive: true, force: true })
  }
}

/** A file system in memory that is small enough to fill. */
export class FullDisk extends Disk {
  readonly #filler = join(this.path, 'filler')

  constructor(sizeKiB = 16 * 1024) {
    super()
    execFileSync('mkdir', ['-m', '0700', this.path])
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKiB}k,mode=0700`, 'tmpfs', this.path], quietly)
    } catch (error) {
      this.remove()
      throw error
    }
  }

  /** Fills the file system up to this rest. */
  fill(leftKiB: number): void {
    const page = Buffer.alloc(4096)
    try {
      for (;;) appendFileSync(this.#filler, page)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
    }
    truncateSync(this.#filler, Math.max(0, statSync(this.#filler).size - leftKiB * 1024))
  }

  free(): void {
    rmSync(this.#filler)
  }

  setReadOnly(readOnly: boolean): void {
    execFileSync('mount', ['-o', `remount,${readOnly ? 'ro' : 'rw'}`, this.path], quietly)
  }
}

/** A file system in a file, which can become read-only at once for all its users, like one whose disk has failed. */
export class FailingDisk extends Disk {
  #image = this.beside('image')

  constructor() {
    super()
    execFileSync('mkdir', ['-m', '0700', this.path])
    try {
      execFileSync('truncate', ['-s', '32M', this.#image])
      execFileSync('mkfs.ext4', ['-q', this.#image], quietly)
      this.#mount()
    } catch (error) {
      this.remove()
      throw error
    }
  }

  fail(): void {
    execFileSync('mount', ['-o', 'remount,abort', this.path], quietly)
  }

  /** Mounts a copy of the data that had reached the disk, for processes that open it again. */
  replace(): void {
    const copy = this.beside('copy')
    execFileSync('cp', [this.#image, copy])
    execFileSync('umount', ['--lazy', this.path])
    this.#image = copy
    this.#mount()
  }

  #mount(): void {
    execFileSync('mount', ['-o', 'loop', this.#image, this.path], quietly)
    execFileSync('chmod', ['0700', this.path])
  }
}

/** A file system that answers no call, like a network disk whose server has gone: FUSE without a server. */
export class HangingDisk extends Disk {
  readonly #device = openSync('/dev/fuse', 'r+')

  constructor() {
    super()
    execFileSync('mkdir', ['-m', '0700', this.path])
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
    execFileSync('mount', ['--internal-only', '-t', 'fuse', '-o', options, 'hanging', this.path], {
      stdio: ['ignore', 'pipe', 'pipe', this.#device],
    })
  }

  /** All calls that hang fail. */
  override remove(): void {
    closeSync(this.#device)
    super.remove()
  }
}

function mounts(attempt: () => void): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** Whether this process can mount file systems and has loop devices. */
export const mayMount =
  process.getuid?.() === 0 && mounts(() => new FullDisk().remove()) && mounts(() => new FailingDisk().remove())

export const mayHang = mayMount && existsSync('/dev/fuse') && mounts(() => new HangingDisk().remove())
