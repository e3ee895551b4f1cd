import { BadgeCheck, CreditCard, File, FileKey, Folder, Hash, KeyRound, Server, StickyNote, User } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { memo } from 'react'

const icons: Readonly<Record<string, LucideIcon>> = {
  ico_server: Server,
  ico_folder: Folder,
  ico_file: File,
  ico_quicknote: StickyNote,
  ico_note: StickyNote,
  ico_pin: Hash,
  ico_person: User,
  ico_ccard: CreditCard,
  ico_certfolder: BadgeCheck,
  ico_cert: BadgeCheck,
  ico_key: FileKey,
}

/** The icon of an object, by the icon name of its template. */
export const ObjectIcon = memo(function ObjectIcon({ name }: { readonly name: string | undefined }) {
  const Icon = icons[name ?? ''] ?? KeyRound
  return <Icon aria-hidden className="object-icon" />
})
