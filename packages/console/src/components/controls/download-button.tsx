import { Download } from 'lucide-react';

interface DownloadButtonProps {
  /** Returns the content of the file. */
  readonly read: () => string | Promise<string>;
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly look?: string;
}

/** Saves a text that the console has as a file. */
export function DownloadButton({ read, name, type, label, look = 'button' }: DownloadButtonProps) {
  const save = async (): Promise<void> => {
    const url = URL.createObjectURL(new Blob([await read()], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" className={look} onClick={() => void save()}>
      <Download size={look.includes('small') ? 14 : 15} aria-hidden="true" /> {label}
    </button>
  );
}
