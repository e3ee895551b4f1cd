import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { detectMimeType, unknownType } from '../../../src/features/files/mime-types.ts'

const firstBytes = 64
let directory: string

/** Real files of real tools; each name says what it is. */
const makeSamples = `
import bz2, gzip, lzma, sqlite3, struct, sys, tarfile, wave, zipfile, zlib
open('plain.txt', 'w').write('Nothing but words and lines\\n' * 20)
open('umlauts.txt', 'w').write('Ä' * 100)
open('page.html', 'w').write('<!DOCTYPE html><html><head><title>T</title></head><body></body></html>')
open('note.xml', 'w').write('<?xml version="1.0" encoding="UTF-8"?>\\n<note><to>x</to></note>\\n')
open('drawing.svg', 'w').write('<?xml version="1.0"?>\\n<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>\\n')
open('data.json', 'w').write('{"members": [1, 2, 3], "name": "example", "more": "text that goes on for a while"}')
open('noise.bin', 'wb').write(bytes((i * 167 + 13) % 256 for i in range(300)))
gzip.open('packed.gz', 'w').write(b'x' * 1000)
bz2.open('packed.bz2', 'w').write(b'x' * 1000)
lzma.open('packed.xz', 'w').write(b'x' * 1000)
with tarfile.open('packed.tar', 'w') as tar: tar.add('plain.txt')
with zipfile.ZipFile('packed.zip', 'w') as z: z.write('plain.txt')
for name, first in (('document.docx', '[Content_Types].xml'), ('table.xlsx', '[Content_Types].xml'), ('slides.key', 'Index/Document.iwa')):
  with zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as z: z.writestr(first, '<Types/>' * 50); z.writestr('word/document.xml', '<x/>')
for name, kind in (('text.odt', 'application/vnd.oasis.opendocument.text'), ('table.ods', 'application/vnd.oasis.opendocument.spreadsheet'), ('book.epub', 'application/epub+zip')):
  with zipfile.ZipFile(name, 'w') as z: z.writestr('mimetype', kind); z.writestr('content.xml', '<x/>')
with zipfile.ZipFile('program.jar', 'w') as z: z.writestr('META-INF/MANIFEST.MF', 'Manifest-Version: 1.0\\n')
db = sqlite3.connect('rows.sqlite'); db.execute('create table t (a)'); db.commit()
with wave.open('silence.wav', 'w') as w: w.setnchannels(1); w.setsampwidth(2); w.setframerate(8000); w.writeframes(bytes(100))
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open('dot.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(b'\\0\\0')) + chunk(b'IEND', b''))
open('paper.pdf', 'wb').write(b'%PDF-1.4\\n1 0 obj<<>>endobj\\ntrailer<<>>\\n%%EOF\\n')
`

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-mime-'))
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: directory, stdio: 'pipe' })
  run('/usr/bin/python3', '-c', makeSamples)
  run(
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=x',
    '-keyout',
    'private.pem',
    '-out',
    'certificate.crt',
  )
  run('openssl', 'x509', '-in', 'certificate.crt', '-outform', 'der', '-out', 'certificate.der')
  run(
    'openssl',
    'pkcs12',
    '-export',
    '-in',
    'certificate.crt',
    '-inkey',
    'private.pem',
    '-passout',
    'pass:x',
    '-out',
    'bundle.p12',
  )
  writeFileSync(join(directory, 'node.elf'), readFileSync(process.execPath).subarray(0, 4096))
})

const detect = (name: string, extension = name.split('.').at(-1) ?? '') =>
  detectMimeType(readFileSync(join(directory, name)).subarray(0, firstBytes), extension)
const judged = (name: string): string =>
  execFileSync('file', ['--brief', '--mime-type', join(directory, name)], { encoding: 'utf8' }).trim()

/** Where we know better than `file`, which asks no extension, or call the same by another name. */
const named: Readonly<Record<string, readonly [ours: string, theirs: string]>> = {
  'document.docx': ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'application/zip'],
  'table.xlsx': ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/zip'],
  'slides.key': ['application/vnd.apple.keynote', 'application/zip'],
  'program.jar': ['application/java-archive', 'application/zip'],
  'rows.sqlite': ['application/x-sqlite3', 'application/vnd.sqlite3'],
  'silence.wav': ['audio/wav', 'audio/x-wav'],
  'note.xml': ['application/xml', 'text/xml'],
  'node.elf': ['application/x-elf', 'application/x-executable'],
  'certificate.crt': ['application/x-pem-file', 'text/plain'],
  'private.pem': ['application/x-pem-file', 'text/plain'],
  'certificate.der': ['application/pkix-cert', 'application/octet-stream'],
  'bundle.p12': ['application/x-pkcs12', 'application/octet-stream'],
}

describe('the type of a file by its first 64 bytes', () => {
  it('is what `file` finds in the whole of it, or a name that is more exact', async () => {
    const samples = readdirSync(directory)
    expect(samples.length).toBeGreaterThan(25)
    const ours = await Promise.all(samples.map(async (name) => [name, await detect(name), judged(name)]))
    expect(ours).toEqual(samples.map((name) => [name, ...(named[name] ?? [judged(name), judged(name)])]))
  })

  const pairs: readonly (readonly [sample: string, extension: string, type: string])[] = [
    ['packed.zip', 'pages', 'application/vnd.apple.pages'],
    ['packed.zip', 'numbers', 'application/vnd.apple.numbers'],
    ['packed.zip', 'pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['packed.zip', 'xlsm', 'application/vnd.ms-excel.sheet.macroEnabled.12'],
    ['packed.zip', 'docm', 'application/vnd.ms-word.document.macroEnabled.12'],
    ['packed.zip', 'pptm', 'application/vnd.ms-powerpoint.presentation.macroEnabled.12'],
    ['packed.zip', 'odp', 'application/vnd.oasis.opendocument.presentation'],
    ['program.jar', 'war', 'application/java-archive'],
    ['program.jar', 'apk', 'application/vnd.android.package-archive'],
    ['packed.zip', 'xpi', 'application/x-xpinstall'],
    ['packed.zip', 'vsix', 'application/vsix'],
    ['packed.zip', '', 'application/zip'],
    ['note.xml', 'svg', 'image/svg+xml'],
    ['note.xml', 'rss', 'application/rss+xml'],
    ['packed.gz', 'svgz', 'image/svg+xml'],
    ['packed.gz', 'tgz', 'application/gzip'],
    ['plain.txt', 'csv', 'text/csv'],
    ['plain.txt', 'md', 'text/markdown'],
    ['plain.txt', '', 'text/plain'],
    ['private.pem', 'key', 'application/x-pem-file'],
    ['certificate.der', 'crt', 'application/pkix-cert'],
    ['certificate.der', 'csr', 'application/pkcs10'],
  ]
  it.each(pairs)('%s as .%s is %s', async (sample, extension, type) => {
    expect(await detect(sample, extension)).toBe(type)
  })

  it.each([
    ['dot.png', 'txt', 'image/png'],
    ['paper.pdf', 'key', 'application/pdf'],
    ['plain.txt', 'png', 'text/plain'],
    ['plain.txt', 'docx', 'text/plain'],
    ['noise.bin', 'key', unknownType],
    ['noise.bin', 'json', unknownType],
    ['noise.bin', 'constructor', unknownType],
    ['packed.zip', '__proto__', 'application/zip'],
  ])('%s is not believed to be .%s', async (sample, extension, type) => {
    expect(await detect(sample, extension)).toBe(type)
  })

  it.each([
    ['doc', 'application/msword'],
    ['xls', 'application/vnd.ms-excel'],
    ['ppt', 'application/vnd.ms-powerpoint'],
    ['msi', 'application/x-msi'],
    ['msg', 'application/vnd.ms-outlook'],
    ['', 'application/x-cfb'],
  ])('a compound file as .%s is %s', async (extension, type) => {
    const header = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(56)])
    expect(await detectMimeType(header, extension)).toBe(type)
  })

  it('is no sound for bits that anything may begin with', async () => {
    const text = Buffer.from('\ufeffWords in UTF-16', 'utf16le')
    const frame = Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(60, 0x5a)])
    expect(await detectMimeType(text, 'txt')).toBe('text/plain')
    expect(await detectMimeType(text, 'csv')).toBe('text/csv')
    expect(await detectMimeType(frame, 'bin')).toBe(unknownType)
    expect(await detectMimeType(frame, 'mp3')).toBe('audio/mpeg')
    expect(await detectMimeType(Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\u0002\0'), frame]), 'bin')).toBe(
      'audio/mpeg',
    )
  })

  it('of nothing at all is unknown, or that of a text by its extension', async () => {
    expect(await detectMimeType(Buffer.alloc(0), '')).toBe(unknownType)
    expect(await detectMimeType(Buffer.alloc(0), 'png')).toBe(unknownType)
    expect(await detectMimeType(Buffer.alloc(0), 'csv')).toBe('text/csv')
  })

  it('is found for any bytes, cut anywhere, and any extension', async () => {
    const samples = readdirSync(directory).map((name) => readFileSync(join(directory, name)))
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: firstBytes }),
      fc.tuple(fc.constantFrom(...samples), fc.nat(firstBytes)).map(([sample, end]) => sample.subarray(0, end)),
    )
    await fc.assert(
      fc.asyncProperty(bytes, fc.string({ maxLength: 25 }), async (start, extension) => {
        expect(await detectMimeType(start, extension)).toMatch(/^[a-z]+\/[\w.+-]+(; [\w=-]+)?$/)
      }),
      { numRuns: 500 },
    )
  })
})
