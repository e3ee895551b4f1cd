/** Milliseconds within which the browser begins to save a file. */
const keptMs = 60_000

/** Blob URLs that the browser may still be reading. */
const addresses = new Set<string>()

/** Lets the browser save a file. The generic type keeps it from opening the file. */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  addresses.add(link.href)
  setTimeout(() => forget(link.href), keptMs)
}

/** Revokes all blob URLs, so that no file stays in the page's memory. */
export function forgetDownloads(): void {
  for (const address of addresses) forget(address)
}

function forget(address: string): void {
  URL.revokeObjectURL(address)
  addresses.delete(address)
}
