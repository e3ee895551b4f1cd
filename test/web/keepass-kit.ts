import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary.ts'

/** Of every file. */
export const filePassphrase = 'ett lösenord'

/** Version 4, Argon2d with 1 MiB, by pykeepass. */
const writeNew = `
import json, sys
from pykeepass import create_database
path, passphrase, passes, titles, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4]), int(sys.argv[5])
file = create_database(path, password=passphrase or None, keyfile=sys.argv[6] or None)
cost = file.kdbx.header.value.dynamic_header.kdf_parameters.data.dict
cost['I'].value, cost['M'].value = passes, 1024 * 1024
del file.kdbx.header['data']
mail = file.add_group(file.add_group(file.root_group, 'Arbete'), 'Mail')
entry = file.add_entry(mail, 'Mailbox', 'ann', 'pw-1', url='https://mail.example', notes='first\\nsecond', tags=['post', 'home'])
entry.set_custom_property('PUK', '77')
entry.add_attachment(file.add_binary(b'x'), 'a.txt')
if int(sys.argv[7]) > 0: entry.add_attachment(file.add_binary(bytes(int(sys.argv[7]))), 'large.bin')
for number, title in enumerate(titles):
    one = file.add_entry(file.root_group, str(number), str(number), title, notes=title * times)
    one.title = one.username = title
file.trash_entry(file.add_entry(file.root_group, 'Thrown away', 'ann', 'old'))
file.save()
`

/** Version 3.1, AES-KDF, by Perl's File::KeePass. */
const writeOld = `
use utf8; use File::KeePass;
my ($path, $passphrase) = @ARGV;
my $file = File::KeePass->new; my $top = $file->add_group({title => 'Top'}); my $store = $file->add_group({title => 'Förråd', group => $top});
$file->add_entry({title => 'Door', username => 'bob', password => '4711', group => $store});
$file->save_db($path, $passphrase);
`

const folder = mkdtempSync(join(temporaryFolder(), 'strongroom-keepass-'))

function writtenBy(
  program: string,
  ...[option, script, phrase, ...more]: readonly [string, string, ...string[]]
): Buffer {
  const path = join(folder, 'written.kdbx')
  execFileSync(program, [option, script, path, phrase ?? '', ...more], { stdio: 'pipe' })
  return readFileSync(path)
}

interface KeepassOptions {
  readonly passphrase?: string
  readonly passes?: number
  readonly titles?: readonly string[]
  readonly times?: number
  readonly keyFile?: string
  readonly attachedBytes?: number
}

function writtenByPykeepass(options: KeepassOptions): Buffer {
  const { passphrase = filePassphrase, passes = 1, titles = [], times = 1, keyFile = '', attachedBytes = 0 } = options
  const [cost, repeated, size] = [String(passes), String(times), String(attachedBytes)]
  return writtenBy(
    '/usr/bin/python3',
    '-c',
    writeNew,
    passphrase,
    cost,
    JSON.stringify(titles),
    repeated,
    keyFile,
    size,
  )
}

/** Of version 4, with an entry for each title, whose notes are the title as often as `times`. */
export const newKeepassFile = (passes: number, titles: readonly string[] = [], times = 1): Buffer =>
  writtenByPykeepass({ passes, titles, times })

/** Of version 4, under a key file, and under a pass phrase too unless that is empty. */
export function keyedKeepassFile(content: Buffer, passphrase: string): Buffer {
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, content)
  return writtenByPykeepass({ passphrase, keyFile })
}

/** Of version 4, with a file of so many bytes beside the small one that each has. */
export const attachedKeepassFile = (attachedBytes: number): Buffer => writtenByPykeepass({ attachedBytes })

/** Of version 3.1, with one entry. */
export const oldKeepassFile = (): Buffer => writtenBy('/usr/bin/perl', '-e', writeOld, filePassphrase)
