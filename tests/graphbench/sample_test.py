# SPDX-License-Identifier: Apache-2.0

import random
import unittest

import support  # noqa: F401  (finds the package)

from graphbench.sample import estimate, harmonic_error, quartiles, ratio_of_medians


class KnownAnswers(unittest.TestCase):
    def test_medians(self) -> None:
        self.assertEqual(estimate([3, 1, 2]).value, 2)
        self.assertEqual(estimate([4, 1, 2, 3]).value, 2.5)

    def test_intervals_of_the_median_by_order_statistics(self) -> None:
        # As tables of the binomial distribution give them: of 5 values 1 - 2 * 0.5^5 = 0.9375, of 6 0.96875, of 10 the second
        # to the ninth 1 - 2 * 11/1024 = 0.978515625, of 20 the sixth to the fifteenth 0.95861.
        five = estimate([1, 2, 3, 4, 5])
        self.assertEqual((five.low, five.high, five.coverage), (1, 5, 0.9375))
        six = estimate(range(1, 7))
        self.assertEqual((six.low, six.high, six.coverage), (1, 6, 0.96875))
        ten = estimate(range(1, 11))
        self.assertEqual((ten.low, ten.high, ten.coverage), (2, 9, 0.978515625))
        twenty = estimate(range(1, 21))
        self.assertEqual((twenty.low, twenty.high), (6, 15))
        self.assertAlmostEqual(twenty.coverage, 0.95861, places=5)

    def test_one_value_has_no_interval(self) -> None:
        one = estimate([7])
        self.assertEqual((one.value, one.low, one.high, one.coverage), (7, 7, 7, 0))

    def test_intervals_contain_the_median_as_often_as_they_say(self) -> None:
        draw = random.Random(3)
        for count in (5, 12):
            hits = sum(
                (e := estimate([draw.expovariate(1) for _ in range(count)])).low <= 0.693147 <= e.high for _ in range(3000)
            )
            self.assertAlmostEqual(hits / 3000, e.coverage, delta=0.02)

    def test_quartiles(self) -> None:
        self.assertEqual(quartiles([1, 2, 3, 4, 5]), (2, 4))
        self.assertEqual(quartiles([7]), (7, 7))

    def test_the_error_of_a_harmonic_mean(self) -> None:
        self.assertIsNone(harmonic_error([3]))
        self.assertEqual(harmonic_error([3, 3, 3]), 0)
        # Reciprocals 1 and 1/3: mean 2/3, deviation sqrt(2)/3, of two values.
        self.assertAlmostEqual(harmonic_error([1, 3]), (2**0.5 / 3) / (2 / 3) ** 2)


class Ratios(unittest.TestCase):
    def test_constant_samples_have_an_exact_ratio(self) -> None:
        ratio = ratio_of_medians([6.0] * 4, [3.0] * 5)
        self.assertEqual((ratio.value, ratio.low, ratio.high), (2, 2, 2))

    def test_the_interval_of_two_values_has_their_extremes(self) -> None:
        ratio = ratio_of_medians([2.0, 4.0], [1.0])
        self.assertEqual((ratio.value, ratio.low, ratio.high), (3, 2, 4))

    def test_the_same_samples_give_the_same_interval(self) -> None:
        a, b = [1.0, 2.0, 3.0, 5.0], [2.0, 2.5, 4.0]
        self.assertEqual(ratio_of_medians(a, b), ratio_of_medians(a, b))

    def test_noise_alone_rarely_looks_like_a_change(self) -> None:
        draw = random.Random(5)
        sample = lambda: [draw.lognormvariate(0, 0.1) for _ in range(7)]  # noqa: E731
        ratios = [ratio_of_medians(sample(), sample()) for _ in range(150)]
        self.assertLess(sum(ratio.low > 1 or ratio.high < 1 for ratio in ratios), 20)

    def test_a_true_change_is_seen(self) -> None:
        draw = random.Random(6)
        ratio = ratio_of_medians([draw.gauss(1.3, 0.03) for _ in range(5)], [draw.gauss(1, 0.03) for _ in range(5)])
        self.assertGreater(ratio.low, 1.1)


if __name__ == "__main__":
    unittest.main()
