/** How long the browser may take to begin to save what it was given. */
const keptMs = 60_000

/** Addresses of files that the browser may still be reading. */
const addresses = new Set<string>()

/** Has the browser save a file. Whatever type it says it has, nothing opens it. */
export function saveFile(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  addresses.add(link.href)
  setTimeout(() => forget(link.href), keptMs)
}

/** None of the files stays in the page's memory. */
export function forgetSaved(): void {
  for (const address of addresses) forget(address)
}

function forget(address: string): void {
  URL.revokeObjectURL(address)
  addresses.delete(address)
}
