package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"kaijutsu"
)

// maxKeyFile bounds a file with a private key, in bytes.
const maxKeyFile = 64 << 10

// Signer signs commits.
type Signer interface {
	// Sign returns the armored signature of a commit object.
	Sign(commit []byte) ([]byte, error)
}

type sshSigner struct{ key ssh.Signer }

// LoadSigner returns a signer that signs with the private SSH key in a file,
// as git does where gpg.format is ssh. Keys with a passphrase and public keys
// (whose private half an agent holds) are refused with ErrInvalid, files that
// others may read with ErrDenied.
func LoadSigner(sshKeyFile string) (Signer, error) {
	data, err := readKeyFile(sshKeyFile)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", sshKeyFile, err)
	}
	key, err := ssh.ParsePrivateKey(data)
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, fmt.Errorf("signing key %s has a passphrase; give a key without one: %w", sshKeyFile, kaijutsu.ErrInvalid)
	case err != nil:
		return nil, fmt.Errorf("signing key %s is not a private SSH key (ssh-keygen -t ed25519 makes one): %w", sshKeyFile, kaijutsu.ErrInvalid)
	}
	return sshSigner{key}, nil
}

func readKeyFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("no such file: %w", kaijutsu.ErrNotFound)
		}
		return nil, unwritable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, unwritable(err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("not a regular file: %w", kaijutsu.ErrInvalid)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others may read it; chmod 600 it: %w", kaijutsu.ErrDenied)
	case info.Size() > maxKeyFile:
		return nil, fmt.Errorf("over %d bytes: %w", maxKeyFile, kaijutsu.ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return nil, unwritable(err)
	}
	return data, nil
}

// Sign follows PROTOCOL.sshsig of OpenSSH with git's namespace and hash.
func (s sshSigner) Sign(commit []byte) ([]byte, error) {
	sig, err := sshsig.Sign(bytes.NewReader(commit), s.key, sshsig.HashSHA512, "git")
	if err != nil {
		return nil, fmt.Errorf("signing the commit: %w", err)
	}
	return sshsig.Armor(sig), nil
}

// withSignature puts an armored signature into a commit's header, which is
// where git looks for it.
func withSignature(commit, armored []byte) []byte {
	head, body, _ := bytes.Cut(commit, []byte("\n\n"))
	sig := bytes.ReplaceAll(bytes.TrimRight(armored, "\n"), []byte("\n"), []byte("\n "))
	return bytes.Join([][]byte{head, append([]byte("gpgsig "), sig...), nil, body}, []byte("\n"))
}
