package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/store"
)

// A shelf is where a broker keeps a list of cases: a work queue of those that nobody has done,
// what became of the others by their keys, and files. All of it goes with the list.
type shelf struct {
	js     jetstream.JetStream
	id     string
	name   string // of the list, for people, where another has declared it
	bare   bool   // whether it had no cases when it was declared
	hands  jetstream.Consumer
	done   jetstream.KeyValue
	things jetstream.ObjectStore
}

const (
	caseSubject = "r2sgld.case."
	shelfPrefix = "r2sgld-cases-"
	handsName   = "hands"          // the one consumer of a queue, which is declared with it
	ackWait     = 10 * time.Second // without a beat a case is given to another
	beatCase    = 2 * time.Second
	mostParcel  = 1 << 36 // bytes of a folder
	mostFolder  = 1 << 17 // bytes of the largest folder that is sent inside an outcome
	// mostUnpacked is the bytes that such a one may come to: gzip makes 1,032 of one at most.
	mostUnpacked = mostFolder << 10
	mostAtOnce   = 64    // cases that are put without waiting for the broker
	uncreated    = 10049 // the code of JetStream's errors where a stream is not created
	mostAsked    = 10    // for a stream that is not
)

func (s *shelf) subject(key string) string { return caseSubject + s.id + "." + key }

// endOf is where workers hear that a list has ended, toldOf where its board hears that they have told
// what came of a case, and refusedOf which of them may not do its cases.
func endOf(id string) string     { return "r2sgld.ended." + id }
func toldOf(id string) string    { return "r2sgld.told." + id }
func refusedOf(id string) string { return "r2sgld.refused." + id }

// A denial is that of a worker that may not do the cases of a list.
type denial struct {
	Worker string `json:"worker"`
	Host   string `json:"host"`
	Why    string `json:"why"`
}

// newLists is where workers hear that there is a list.
const newLists = "r2sgld.offered"

// An errand is a message of the queue. Key tells what its outcome depends on: two of one key
// have the same.
type errand struct {
	Key   string     `json:"key"`
	Case  cases.Case `json:"case"`
	Files []File     `json:"files,omitempty"`
}

// newErrand asks a catalogue for its files.
func newErrand(program string, c cases.Case, files catalogue) (*errand, error) {
	e := &errand{Case: c}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q", program, c.Command, string(c.Config))
	for _, path := range c.Files {
		f, err := files.of(path)
		if err != nil {
			return nil, err
		}
		e.Files = append(e.Files, f)
		fmt.Fprintf(sum, " %q %s", f.Path, f.SHA256)
	}
	for _, path := range c.Programs {
		f, err := files.of(path)
		if err != nil {
			return nil, err
		}
		if e.Case.Executed == nil {
			e.Case.Executed = map[string]string{}
		}
		e.Case.Executed[path] = f.SHA256
		fmt.Fprintf(sum, " program %q %s", path, f.SHA256)
	}
	e.Key = hex.EncodeToString(sum.Sum(nil)[:16])
	return e, nil
}

// An outcome is what became of a case: the first that is told of a key holds.
type outcome struct {
	Worker string `json:"worker"`
	Host   string `json:"host"`
	Made   string `json:"made,omitempty"`   // the folder, as a thing where Folder is empty
	Folder []byte `json:"folder,omitempty"` // a small one
	Failed string `json:"failed,omitempty"` // why there is none
}

// Names of things.
func nameOfFile(f File) string             { return "file." + f.SHA256 }
func nameOfPart(key string) string         { return "part." + key }
func nameOfMade(key, worker string) string { return "made." + key + "." + worker }

// declare makes the shelf of a list, or finds it.
func declare(ctx context.Context, js jetstream.JetStream, id string, about map[string]string) (*shelf, error) {
	s := &shelf{js: js, id: id}
	queue, err := queueOf(ctx, js, jetstream.StreamConfig{Name: shelfPrefix + id, Subjects: []string{caseSubject + id + ".*"},
		Retention: jetstream.WorkQueuePolicy, Metadata: about})
	if err != nil {
		return nil, err
	}
	s.bare = queue.CachedInfo().State.Msgs == 0
	if s.hands, err = queue.Consumer(ctx, handsName); errors.Is(err, jetstream.ErrConsumerNotFound) {
		s.hands, err = queue.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: handsName, AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: ackWait, MaxAckPending: -1, MaxWaiting: 1 << 14})
	}
	if err == nil {
		s.done, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: shelfPrefix + id})
	}
	if err == nil {
		s.things, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: shelfPrefix + id})
	}
	return s, err
}

// queueOf makes a queue, or finds it. A broker whose last stream has gone takes the empty folder of all
// streams away a little later, and refuses one that is made at that very moment: it is asked again.
func queueOf(ctx context.Context, js jetstream.JetStream, c jetstream.StreamConfig) (s jetstream.Stream, err error) {
	for asked := range mostAsked {
		if asked > 0 {
			pause(ctx, moment)
		}
		var refusal *jetstream.APIError
		if s, err = js.CreateOrUpdateStream(ctx, c); !errors.As(err, &refusal) || refusal.ErrorCode != uncreated {
			return s, err
		}
	}
	return s, err
}

// KeepsCases says why a broker does not.
func KeepsCases(conn *nats.Conn) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := js.AccountInfo(ctx); err != nil {
		return fmt.Errorf("the broker at %s keeps no cases: %w. Take one of r2sgld hub, or turn its JetStream on",
			plain(conn.ConnectedUrl()), err)
	}
	return nil
}

// found opens a shelf that another has declared.
func found(ctx context.Context, js jetstream.JetStream, id, name string) (*shelf, error) {
	s := &shelf{js: js, id: id, name: name}
	var err error
	if s.hands, err = js.Consumer(ctx, shelfPrefix+id, handsName); err == nil {
		s.done, err = js.KeyValue(ctx, shelfPrefix+id)
	}
	if err == nil {
		s.things, err = js.ObjectStore(ctx, shelfPrefix+id)
	}
	return s, err
}

// clearShelf takes the shelf of a list away, or what there is of it.
func clearShelf(ctx context.Context, js jetstream.JetStream, id string) error {
	return errors.Join(js.DeleteStream(ctx, shelfPrefix+id), js.DeleteKeyValue(ctx, shelfPrefix+id), js.DeleteObjectStore(ctx, shelfPrefix+id))
}

// putFiles keeps the files of cases.
func (s *shelf) putFiles(ctx context.Context, all []*errand) error {
	kept := map[string]bool{}
	for _, e := range all {
		for _, f := range e.Files {
			if name := nameOfFile(f); !kept[name] {
				if err := s.putFile(ctx, name, f.Path); err != nil {
					return err
				}
				kept[name] = true
			}
		}
	}
	return nil
}

// put keeps cases for whoever has a hand free, except those that are there.
func (s *shelf) put(ctx context.Context, all []*errand) error {
	for some := range slices.Chunk(all, mostAtOnce) {
		var told []jetstream.PubAckFuture
		for _, e := range some {
			text, err := json.Marshal(e)
			if err != nil {
				return err
			}
			f, err := s.js.PublishMsgAsync(&nats.Msg{Subject: s.subject(e.Key), Data: text}, jetstream.WithExpectLastSequencePerSubject(0))
			if err != nil {
				return err
			}
			told = append(told, f)
		}
		for i, f := range told {
			select {
			case <-f.Ok():
				if i == 0 {
					_ = s.js.Conn().Publish(newLists, nil) // who does not hear it looks by itself
				}
			case err := <-f.Err():
				var refusal *jetstream.APIError
				if !errors.As(err, &refusal) || refusal.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence { // it is there
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// putFile keeps a file under a name, unless something has it.
func (s *shelf) putFile(ctx context.Context, name, path string) error {
	if _, err := s.things.GetInfo(ctx, name); err == nil {
		return nil
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(s.keep(ctx, name, in), in.Close())
}

// next takes a case that nobody has; nil if there is none within a while, or until the context ends. It
// must be acknowledged; one that is on its way when the context ends is given out again in ackWait.
func (s *shelf) next(ctx context.Context, wait time.Duration) (jetstream.Msg, error) {
	got, err := s.hands.Fetch(1, jetstream.FetchMaxWait(wait))
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, nil
	case m, ok := <-got.Messages():
		if !ok {
			return nil, got.Error()
		}
		return m, nil
	}
}

// what is told of a key; nil if nothing is.
func (s *shelf) what(ctx context.Context, key string) (*outcome, error) {
	v, err := s.done.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := new(outcome)
	return o, json.Unmarshal(v.Value(), o)
}

// keys are those of which something is told.
func (s *shelf) keys(ctx context.Context) ([]string, error) {
	keys, err := s.done.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		err = nil
	}
	return keys, err
}

// news has hear each outcome that was told after so many messages, once, and returns of how many it
// knows. A broker that has fewer has begun anew.
func (s *shelf) news(ctx context.Context, after uint64, hear func(key string, o *outcome)) (uint64, error) {
	const ofValues = "$KV." // subjects
	all, err := s.js.Stream(ctx, "KV_"+shelfPrefix+s.id)
	if err != nil {
		return after, err
	}
	has := all.CachedInfo().State
	if has.LastSeq < after {
		after = 0
	}
	for after = max(after, has.FirstSeq-min(1, has.FirstSeq)); after < has.LastSeq; after++ {
		m, err := all.GetMsg(ctx, after+1)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return after, err
		}
		key, ours := strings.CutPrefix(m.Subject, ofValues+shelfPrefix+s.id+".")
		if o := new(outcome); ours && json.Unmarshal(m.Data, o) == nil {
			hear(key, o)
		}
	}
	return after, nil
}

// send keeps a folder as a thing, or returns it if it has at most so many bytes.
func (s *shelf) send(ctx context.Context, name, dir string, small int64) (folder []byte, err error) {
	file, err := os.CreateTemp(filepath.Dir(dir), "parcel-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	for tries := 0; ; tries++ {
		if err = store.Pack(file, dir); !errors.Is(err, store.ErrUnsettled) || tries == mostTries {
			break
		}
		if err = file.Truncate(0); err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if i, err := file.Stat(); err == nil && i.Size() <= small {
		return os.ReadFile(file.Name())
	}
	return nil, s.keep(ctx, name, file)
}

const mostTries = 20

// keep keeps a file as a thing.
func (s *shelf) keep(ctx context.Context, name string, file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	ctx, moves, stop := while(ctx)
	defer stop()
	_, err := s.things.Put(ctx, jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: 1 << 19}}, moving{file, moves})
	return err
}

// while is a context for what is sent or comes, however long that takes: it ends once moves has not been
// called for a while. It has a deadline, since without one JetStream takes five seconds.
func while(of context.Context) (ctx context.Context, moves, stop func()) {
	ctx, cancel := context.WithTimeout(of, longAway)
	still := time.AfterFunc(6*patience, cancel)
	return ctx, func() { still.Reset(6 * patience) }, func() { still.Stop(); cancel() }
}

// longAway is longer than anything takes.
const longAway = 365 * 24 * time.Hour

// passing reports whether an error of the broker's says nothing of what was asked for, so that it is asked for again.
func passing(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, nats.ErrDisconnected) ||
		errors.Is(err, nats.ErrNoResponders)
}

// A moving reader tells that it moves.
type moving struct {
	io.Reader
	moves func()
}

func (m moving) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	m.moves()
	return n, err
}

// A movingThing is a thing that tells that it moves.
type movingThing struct {
	jetstream.ObjectResult
	moves, stop func()
}

func (m movingThing) Read(b []byte) (int, error) { return moving{m.ObjectResult, m.moves}.Read(b) }

func (m movingThing) Close() error {
	m.stop()
	return m.ObjectResult.Close()
}

// open opens a thing.
func (s *shelf) open(ctx context.Context, name string) (io.ReadCloser, error) {
	ctx, moves, stop := while(ctx)
	r, err := s.things.Get(ctx, name)
	if err != nil {
		stop()
		return nil, err
	}
	return movingThing{r, moves, stop}, nil
}

// get makes the folder that was kept as a thing.
func (s *shelf) get(ctx context.Context, name, dir string) error {
	r, err := s.open(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	err = store.Unpack(r, dir, mostParcel)
	_, rest := io.Copy(io.Discard, r) // what follows the end of the archive, and its checksum
	return errors.Join(err, rest)
}

// home makes the folder of a case that was done elsewhere.
func (s *shelf) home(ctx context.Context, o *outcome, dir string) error {
	if o.Folder != nil {
		return store.Unpack(bytes.NewReader(o.Folder), dir, mostUnpacked)
	}
	return s.get(ctx, o.Made, dir)
}

// drop throws the folder of a case away; it goes with the list otherwise.
func (s *shelf) drop(ctx context.Context, o *outcome) {
	if o.Folder == nil {
		_ = s.things.Delete(ctx, o.Made)
	}
}
