import { Download } from 'lucide-react';
import { Button } from './button.tsx';

interface DownloadButtonProps {
  /** Returns the content of the file. */
  readonly read: () => string | Promise<string>;
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly look?: string;
}

/** Saves a text that the console has as a file. */
export function DownloadButton({ read, name, type, label, look }: DownloadButtonProps) {
  const save = async (): Promise<void> => {
    const url = URL.createObjectURL(new Blob([await read()], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return <Button look={look} icon={Download} label={label} onClick={() => void save()} />;
}
