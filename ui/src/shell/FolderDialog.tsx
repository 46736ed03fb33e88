import { type FormEvent, useState } from "react";
import { Button, Field, Input, Sheet } from "@/components";
import { useFolderDialog } from "@/domain/openProject";
import { useOpenProject } from "@/domain/project";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { asFault } from "@/ipc";

/** `/…`, `\\server\…` or `C:\…`. The engine would take any other as relative to the folder that it was started in. */
const FULL_PATH = /^(?:[\\/]|[A-Za-z]:[\\/])/;

/** Asks for the path of a folder. There is one dialog for the whole page. */
export default function FolderDialog() {
  const { open, setOpen } = useFolderDialog();
  const openProject = useOpenProject();
  const [path, setPath] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const close = () => {
    setOpen(false);
    setError(null);
    setPath("");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = path.trim();
    if (wanted === "") return;
    if (!FULL_PATH.test(wanted)) {
      setError(t("shell.project.pathNotFull"));
      return;
    }
    setBusy(true);
    openProject(wanted, false)
      .then(close)
      .catch((thrown: unknown) => {
        const fault = asFault(thrown);
        const { message, hint } = faultText(fault);
        if (fault.code === "not_a_directory") setError(t("shell.project.noFolder", { path: `\`${wanted}\`` }));
        else setError([message, hint].filter(Boolean).join(" "));
      })
      .finally(() => setBusy(false));
  };
  return (
    <Sheet open={open} title={t("shell.project.openFolder")} onClose={close}>
      <form className="pad-16 column gap-3" onSubmit={submit}>
        <Field label={t("shell.project.path")} hint={t("shell.project.pathHint")} error={error}>
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              mono
              autoFocus
              value={path}
              invalid={error !== null}
              placeholder="/home/me/code/project"
              onChange={(event) => {
                setPath(event.target.value);
                setError(null);
              }}
            />
          )}
        </Field>
        <div className="row" style={{ justifyContent: "flex-end" }}>
          <Button onClick={close}>{t("cancel")}</Button>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabledBecause={path.trim() === "" ? t("shell.project.path") : null}
          >
            {t("open")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
