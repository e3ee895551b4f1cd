interface FileStats {
  readonly dev: number | bigint
  readonly ino: number | bigint
}

/** Identifies a file or folder by its disk, too: the copy of a disk has the inode numbers of the disk. */
export const identityOf = ({ dev, ino }: FileStats): string => `${dev}-${ino}`
