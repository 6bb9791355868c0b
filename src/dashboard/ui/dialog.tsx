import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFocusBack } from '../access/focus'

type Props = {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  isLocked?: boolean
  size?: string
  /** Keeps the head in place while the content grows, for a dialog that is typed into. */
  isAtTop?: boolean
}

/** The head is custom, because Mantine's header would be a second landmark on the page. */
export const Dialog = ({ title, isOpen, onClose, children, isLocked = false, size = 'md', isAtTop = false }: Props) => {
  useFocusBack(isOpen)
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      closeOnClickOutside={!isLocked}
      closeOnEscape={!isLocked}
      size={size}
      centered={!isAtTop}
      {...(isAtTop && { yOffset: '10dvh' })}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content radius={14}>
        <div className="dialog-head">
          <Modal.Title fw={640}>{title}</Modal.Title>
          {!isLocked && <Modal.CloseButton aria-label="Close" />}
        </div>
        <Modal.Body px={20} pb={20}>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
